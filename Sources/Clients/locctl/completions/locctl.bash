# SPDX-License-Identifier: Apache-2.0
#
# Completion of locctl for bash; a copy of it belongs into /usr/share/bash-completion/completions/locctl.

_locctl() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local commands="status top get watch significant live heading region visits monitor beacon why locate"
    commands+=" history export report uplink metrics apps authorize forget services requests agent events close reload version help"
    local options="--socket --json --help"
    local -a operands=()
    local command="" words="" index

    # "--option=word" comes as three words.
    if [ "$word" = "=" ]; then
        word=""
    elif [ "$before" = "=" ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    # The words that are neither options nor options' arguments, before this one.
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --json | --help | --version | --cached | --no-* | --allows-background | --follow | --all | \
            --on | --prometheus | --coordinates | --once | --desktop | =) ;;
        --*)
            index=$((index + 1))
            if [ "${COMP_WORDS[index]}" = "=" ]; then index=$((index + 1)); fi
            ;;
        -o) index=$((index + 1)) ;;
        -*) ;;
        *) operands+=("${COMP_WORDS[index]}") ;;
        esac
    done
    command=${operands[0]}
    if [ "$command" = uplink ]; then options="--json --help"; fi

    case $before in
    --accuracy)
        if [ "$command" = authorize ]; then
            COMPREPLY=($(compgen -W "full reduced" -- "$word"))
            return
        fi
        if [ "$command" = locate ]; then return; fi
        COMPREPLY=($(compgen -W "bestForNavigation best nearestTenMeters hundredMeters kilometer threeKilometers reduced" -- "$word"))
        return
        ;;
    --activity-type)
        COMPREPLY=($(compgen -W "other automotiveNavigation fitness otherNavigation airborne" -- "$word"))
        return
        ;;
    --presence)
        COMPREPLY=($(compgen -W "background foreground" -- "$word"))
        return
        ;;
    --distance-filter | --heading-filter)
        COMPREPLY=($(compgen -W "none" -- "$word"))
        return
        ;;
    --socket)
        COMPREPLY=($(compgen -f -- "$word"))
        return
        ;;
    --assuming)
        COMPREPLY=($(compgen -W "unknown satisfied unsatisfied" -- "$word"))
        return
        ;;
    --configuration)
        COMPREPLY=($(compgen -W "default automotiveNavigation otherNavigation fitness airborne" -- "$word"))
        return
        ;;
    --answer)
        COMPREPLY=($(compgen -W "always while-using once deny" -- "$word"))
        return
        ;;
    --notice-on)
        COMPREPLY=($(compgen -W "entry exit both" -- "$word"))
        return
        ;;
    --day)
        COMPREPLY=($(compgen -W "today yesterday" -- "$word"))
        return
        ;;
    --format)
        COMPREPLY=($(compgen -W "gpx geojson kml csv" -- "$word"))
        return
        ;;
    --split)
        COMPREPLY=($(compgen -W "gap day" -- "$word"))
        return
        ;;
    --output | -o)
        COMPREPLY=($(compgen -f -- "$word"))
        return
        ;;
    --timeout | --defer-distance | --defer-timeout | --count | --until | --resume-after | --app | --circle | --polygon | --beacon | \
        --cushion | --dwell | --notice | --notice-text | --altitude | --from | --to | --simplify | --of)
        COMPREPLY=()
        return
        ;;
    esac

    case $command in
    "") options+=" --version" ;;
    get) options+=" --timeout --accuracy --cached" ;;
    watch)
        options+=" --distance-filter --accuracy --activity-type --heading-filter --no-pause --allows-background"
        options+=" --defer-distance --defer-timeout --presence --count --until --resume-after --app"
        ;;
    significant) options+=" --count --until --app" ;;
    live) options+=" --configuration --count --until --app" ;;
    heading) options+=" --heading-filter --count --until --app" ;;
    locate) options+=" --accuracy --altitude" ;;
    region)
        options+=" --circle --polygon --beacon --no-entry --no-exit --cushion --dwell --notice --notice-text"
        options+=" --notice-on --once --count --until --app"
        ;;
    visits) options+=" --follow --count --until --app" ;;
    beacon) options+=" --count --until --app" ;;
    monitor) options+=" --circle --polygon --beacon --assuming --count --until --app" ;;
    history) options+=" --day --from --to --count --all" ;;
    report) options="--socket --help --day --output --of" ;;
    export) options="--socket --help --format --day --from --to --simplify --split --output --of" ;;
    top) options="--socket --help --on" ;;
    metrics) options="--socket --help --prometheus --coordinates --output" ;;
    authorize) options+=" --accuracy" ;;
    agent) options+=" --answer --desktop" ;;
    esac

    case $command/${#operands[@]} in
    /* | help/1) words=$commands ;;
    locate/1) words="set clear" ;;
    region/1) words="add list remove state watch" ;;
    monitor/1) words="add list remove record watch" ;;
    beacon/1) words="range" ;;
    visits/1) words="stop" ;;
    history/1) words="forget" ;;
    services/1) words="on off" ;;
    authorize/2) words="always when-in-use once denied reset" ;;
    requests/2) words="always while-using once deny" ;;
    esac

    if [[ $word == -* ]]; then words=$options; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -F _locctl locctl
