#pragma once

#include "kinds/rules.h"

namespace proa::kinds::devices {

// A device of a ResourceSlice. `selects_nodes`: perDeviceNodeSelection is set.
void validate_device(View device, bool selects_nodes, const api::Path& path,
                     api::FieldErrors& errors);
// A non-empty map {name: {value: ...}}.
void validate_counters(View counters, const api::Path& path, api::FieldErrors& errors);

// The node selection of a slice or a device: exactly one of several fields must be set.
struct Placement {
  std::vector<std::string> set;  // "`nodeName`"

  // `at` is the slice or the device.
  void read(View at, const api::Path& path, std::string_view empty_name, api::FieldErrors& errors);
  std::string str() const;  // "{`nodeName`, `allNodes`}"
};

}  // namespace proa::kinds::devices
