#pragma once

#include <functional>
#include <string>

#include "base/time.h"
#include "kubelet/pod/volumes/content/payload.h"

namespace proa::kubelet {

// Brings a folder to that content so that whoever reads sees all of the old or all of the new one,
// even when we end half way. As upstream lays it out, since programs follow it:
//
//   ..2026_01_02_15_04_05.123/user/labels    the content
//   ..data -> ..2026_01_02_15_04_05.123      renamed over; the moment of the change
//   user -> ..data/user                      what programs open
//
// Writes nothing when the content is there already. What an earlier run left behind is put right.
// `set_permissions` is called once new content is written, before anybody sees it.
// REQUIRES: the folder is there, and nobody else writes into it.
Result<void> write_atomically(const std::string& folder, const Payload& payload, Time now,
                              const std::function<Result<void>()>& set_permissions);

// Whether some content was brought to the folder once.
bool has_content(const std::string& folder);

}  // namespace proa::kubelet
