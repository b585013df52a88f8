#pragma once

#include <functional>
#include <string>

#include "base/time.h"
#include "kubelet/pod/volumes/content/payload.h"

namespace proa::kubelet {

// Replaces the content of a folder atomically: readers see all of the old or all of the new
// content, even if this program dies in between. The layout is upstream's, since programs rely on
// it:
//
//   ..2026_01_02_15_04_05.123/user/labels    the content
//   ..data -> ..2026_01_02_15_04_05.123      replaced atomically by rename
//   user -> ..data/user                      what programs open
//
// Writes nothing if the content is up to date. Cleans up after an interrupted run.
// `set_permissions` is called after new content is written, before it is visible. REQUIRES: the
// folder exists, and this is its only writer.
Result<void> write_atomically(const std::string& folder, const Payload& payload, Time now,
                              const std::function<Result<void>()>& set_permissions);

// Whether content was ever written to the folder.
bool has_content(const std::string& folder);

}  // namespace proa::kubelet
