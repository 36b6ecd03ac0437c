// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A body that headings can be of, such as a window or a view.
public protocol CLBodyIdentifiable: NSObjectProtocol {}

/// How a manager's headings are to be turned.
struct HeadingFrame: @unchecked Sendable {
    /// The side of the device that is up.
    var orientation = CLDeviceOrientation.portrait
    /// Handed back as it came: nobody asks it anything, so that it may come from any thread.
    var body: (any CLBodyIdentifiable)?
}
