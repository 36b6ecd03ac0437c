# SPDX-License-Identifier: Apache-2.0
#
# Completion of locctl for bash; a copy of it belongs into /usr/share/bash-completion/completions/locctl.

_locctl() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local commands="status get watch significant why version help"
    local options="--socket --json --help"
    local command="" index

    # "--option=word" comes as three words.
    if [ "$word" = "=" ]; then
        word=""
    elif [ "$before" = "=" ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    case $before in
    --accuracy)
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
    --timeout | --defer-distance | --defer-timeout | --count | --until | --resume-after | --app)
        COMPREPLY=()
        return
        ;;
    esac

    # The first word that is neither an option nor an option's argument.
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --socket) index=$((index + 1)) ;;
        -* | =) ;;
        *)
            command=${COMP_WORDS[index]}
            break
            ;;
        esac
    done

    case $command in
    "") options+=" --version" ;;
    get) options+=" --timeout --accuracy --cached" ;;
    watch)
        options+=" --distance-filter --accuracy --activity-type --heading-filter --no-pause --allows-background"
        options+=" --defer-distance --defer-timeout --presence --count --until --resume-after --app"
        ;;
    significant) options+=" --count --until --app" ;;
    esac

    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [ -z "$command" ] || [ "$command" = help ]; then
        COMPREPLY=($(compgen -W "$commands" -- "$word"))
    else
        COMPREPLY=()
    fi
}

complete -F _locctl locctl
