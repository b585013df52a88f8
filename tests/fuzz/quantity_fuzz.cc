// Parsed quantities print as text that parses to the same amount; arithmetic is reversible.

#include <cstdint>

#include "api/quantity.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::api::Quantity;
  const auto first = Quantity::parse({reinterpret_cast<const char*>(data), size});
  if (!first) return 0;
  const auto second = Quantity::parse(first->str());
  CHECK(second.ok());
  CHECK(*second == *first);
  const Quantity canonical = *first + Quantity();
  CHECK(canonical == *first);
  const auto third = Quantity::parse(canonical.str());
  CHECK(third.ok());
  CHECK(*third == *first);
  CHECK(third->str() == canonical.str());
  CHECK((*first - *first).is_zero());
  CHECK(-(-*first) == *first);
  CHECK(first->is_zero() || (first->value() != 0 && first->milli_value() != 0));
  return 0;
}
