#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/value_transformer.h"

namespace proa::store {

// ValueTransformer::from_disk(), with the key in its failures, in upstream's words.
Result<std::optional<std::string>> read_value(const ValueTransformer& reader, std::string_view key,
                                              const DiskValue& stored);

}  // namespace proa::store
