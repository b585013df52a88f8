// Label selectors of queries: an accepted selector prints as text that parses to the same.

#include <array>
#include <cstdint>
#include <string_view>

#include "api/selector/label_selector.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  using namespace proa::api;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = LabelSelector::parse(text);
  if (!selector) {
    CHECK(selector.is(Reason::kBadRequest));
    return 0;
  }
  const auto again = LabelSelector::parse(selector->str());
  CHECK(again.ok());
  CHECK(*again == *selector);

  constexpr std::array kLabels{LabelPair{"a", "b"}, LabelPair{"x", "3"}, LabelPair{"e/c", ""}};
  CHECK(again->matches(kLabels) == selector->matches(kLabels));
  for (const auto& requirement : selector->requirements()) {
    const std::string_view value = "b";
    const bool unary = requirement.op == LabelSelector::Operator::kExists ||
                       requirement.op == LabelSelector::Operator::kDoesNotExist;
    if (unary) CHECK(requirement.matches(&value) != requirement.matches(nullptr));
  }
  return 0;
}
