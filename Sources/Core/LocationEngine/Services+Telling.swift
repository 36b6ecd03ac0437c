// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Messages to all services: each type calls one requirement of `Service`.

struct Finish: ServiceVisitor {
    let fix: AcceptedFix
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.finish(at: fix, directory, &turn)
    }
}

struct Deliver: ServiceVisitor {
    let fix: AcceptedFix
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.deliver(fix, directory, &turn)
    }
}

struct Pause: ServiceVisitor {
    let fix: AcceptedFix
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.pause(after: fix, directory, &turn)
    }
}

struct Watch: ServiceVisitor {
    let fix: AcceptedFix
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.watch(fix, directory, &turn)
    }
}

struct MakeWay: ServiceVisitor {
    let request: Request
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.makeWay(for: request, of: manager, directory, &turn)
    }
}

struct PresenceChanged: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.presenceChanged(of: manager, directory, &turn)
    }
}

struct PropertiesChanged: ServiceVisitor {
    let manager: ManagerID
    let hadReducedView: Bool
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.propertiesChanged(of: manager, hadReducedView: hadReducedView, directory, &turn)
    }
}

struct AppRights: ServiceVisitor {
    let app: AppID
    let change: RightsChange
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.rightsChanged(of: app, change, directory, &turn)
    }
}

struct ManagerRights: ServiceVisitor {
    let manager: ManagerID
    let change: RightsChange
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.rightsChanged(of: manager, change, directory, &turn)
    }
}

struct AppDiagnosis: ServiceVisitor {
    let app: AppID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.diagnosisChanged(of: app, directory, &turn)
    }
}

struct ManagerDiagnosis: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.diagnosisChanged(of: manager, directory, &turn)
    }
}

struct Open: ServiceVisitor {
    let manager: ManagerID
    let record: ManagerRecord
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.open(manager, record, directory, &turn)
    }
}

struct GoOn: ServiceVisitor {
    let manager: ManagerID
    let record: ManagerRecord
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.goOn(manager, record, directory, &turn)
    }
}

struct Detached: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.detached(manager, directory, &turn)
    }
}

struct Attached: ServiceVisitor {
    let manager: ManagerID
    let delivered: ResumePoint
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.attached(manager, delivered: delivered, directory, &turn)
    }
}

struct TellMissed: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.tellMissed(manager, directory, &turn)
    }
}

struct Resume: ServiceVisitor {
    let manager: ManagerID
    let delivered: ResumePoint
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.resume(manager, delivered: delivered, directory, &turn)
    }
}

struct Expired: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.expired(manager, directory, &turn)
    }
}

struct Closed: ServiceVisitor {
    let manager: ManagerID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.closed(manager, directory, &turn)
    }
}

struct Enter: ServiceVisitor {
    let app: AppID
    let record: AppRecord
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.enter(app, record, directory, &turn)
    }
}

struct Forget: ServiceVisitor {
    let app: AppID
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.forget(app, directory, &turn)
    }
}

struct ServeTimers: ServiceVisitor {
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.serveTimers(directory, &turn)
    }
}

struct TellLoss: ServiceVisitor {
    let onSince: BootInstant
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.tellLoss(onSince: onSince, directory, &turn)
    }
}

struct ForgetLoss: ServiceVisitor {
    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        service.forgetLoss()
    }
}
