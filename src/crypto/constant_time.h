#pragma once

#include <string_view>

namespace proa::crypto {

// Compares secrets: the time it takes does not depend on where they differ, only on their lengths.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace proa::crypto
