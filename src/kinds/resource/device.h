#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// A device of a ResourceSlice; `selects_nodes` says that each device names its nodes.
void validate_device(View device, bool selects_nodes, const api::Path& path,
                     api::FieldErrors& errors);
// {name: {value: ...}}, not empty.
void validate_counters(View counters, const api::Path& path, api::FieldErrors& errors);

// Where a slice or a device is: exactly one of several fields says so.
struct Placement {
  std::vector<std::string> set;  // "`nodeName`"

  // REQUIRES: `at` is of the slice or device.
  void read(View at, const api::Path& path, std::string_view empty_name, api::FieldErrors& errors);
  std::string str() const;  // "{`nodeName`, `allNodes`}"
};

}  // namespace proa::kinds::devices
