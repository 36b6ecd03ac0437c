// SPDX-License-Identifier: Apache-2.0

// As on Apple's systems, `import CoreLocation` brings Foundation along: delegates are NSObjects, times are Dates.
@_exported public import Foundation
