// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A message to all services: each case calls one requirement of `Service`.
enum ServiceMessage: ServiceVisitor {
    case finish(AcceptedFix)
    case deliver(AcceptedFix)
    case pause(AcceptedFix)
    case watch(AcceptedFix)
    case makeWay(Request, ManagerID)
    case presenceChanged(ManagerID)
    case propertiesChanged(ManagerID, hadReducedView: Bool)
    case appRights(AppID, RightsChange)
    case managerRights(ManagerID, RightsChange)
    case appDiagnosis(AppID)
    case managerDiagnosis(ManagerID)
    // Records are large, and few of the messages have one.
    indirect case open(ManagerID, ManagerRecord)
    indirect case goOn(ManagerID, ManagerRecord)
    case detached(ManagerID)
    case attached(ManagerID, ResumePoint)
    case tellMissed(ManagerID)
    case resume(ManagerID, ResumePoint)
    case expired(ManagerID)
    case closed(ManagerID)
    indirect case enter(AppID, AppRecord)
    case forget(AppID)
    case serveTimers
    case tellLoss(onSince: BootInstant)
    case forgetLoss

    func visit(_ service: inout some Service, _ directory: Directory, _ turn: inout Turn) {
        switch self {
        case .finish(let fix): service.finish(at: fix, directory, &turn)
        case .deliver(let fix): service.deliver(fix, directory, &turn)
        case .pause(let fix): service.pause(after: fix, directory, &turn)
        case .watch(let fix): service.watch(fix, directory, &turn)
        case .makeWay(let request, let manager): service.makeWay(for: request, of: manager, directory, &turn)
        case .presenceChanged(let manager): service.presenceChanged(of: manager, directory, &turn)
        case .propertiesChanged(let manager, let hadReducedView):
            service.propertiesChanged(of: manager, hadReducedView: hadReducedView, directory, &turn)
        case .appRights(let app, let change): service.rightsChanged(of: app, change, directory, &turn)
        case .managerRights(let manager, let change): service.rightsChanged(of: manager, change, directory, &turn)
        case .appDiagnosis(let app): service.diagnosisChanged(of: app, directory, &turn)
        case .managerDiagnosis(let manager): service.diagnosisChanged(of: manager, directory, &turn)
        case .open(let manager, let record): service.open(manager, record, directory, &turn)
        case .goOn(let manager, let record): service.goOn(manager, record, directory, &turn)
        case .detached(let manager): service.detached(manager, directory, &turn)
        case .attached(let manager, let delivered): service.attached(manager, delivered: delivered, directory, &turn)
        case .tellMissed(let manager): service.tellMissed(manager, directory, &turn)
        case .resume(let manager, let delivered): service.resume(manager, delivered: delivered, directory, &turn)
        case .expired(let manager): service.expired(manager, directory, &turn)
        case .closed(let manager): service.closed(manager, directory, &turn)
        case .enter(let app, let record): service.enter(app, record, directory, &turn)
        case .forget(let app): service.forget(app, directory, &turn)
        case .serveTimers: service.serveTimers(directory, &turn)
        case .tellLoss(let onSince): service.tellLoss(onSince: onSince, directory, &turn)
        case .forgetLoss: service.forgetLoss()
        }
    }
}
