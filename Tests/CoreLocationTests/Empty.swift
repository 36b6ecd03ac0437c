// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing
