// SPDX-License-Identifier: Apache-2.0
package import SystemSupport

extension Configuration {
    /// The names of users and groups that this system does not know, a sentence for each: a mistyped denial does not hold. That the
    /// defaults know somebody is no wish of the administrator.
    package func unknownNames(accounts: Accounts = .system) -> [String] {
        let defaults = Configuration()
        return ConfigurationKey.all.flatMap { key in
            let (names, isUser, usual): ([String], Bool, [String]) =
                switch key.form {
                case .accounts(let path, let kind): (self[keyPath: path], kind == "users", defaults[keyPath: path])
                case .group(let path): ([self[keyPath: path]], false, [defaults[keyPath: path]])
                default: ([], false, [])
                }
            return names.filter { name in
                !usual.contains(name) && (isUser ? accounts.uid(name) : accounts.gid(name)) == nil
            }
            .map {
                "[\(key.section)] \(key.name)= names \($0): this system knows no such \(isUser ? "user" : "group")"
            }
        }
    }
}
