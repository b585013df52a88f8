// Field selectors of queries: an accepted selector prints as text that parses to the same, alone
// and for a resource.

#include <cstdint>
#include <string_view>

#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "api/selector/field_selector.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  using namespace proa::api;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = FieldSelector::parse(text);
  if (!selector) {
    CHECK(selector.is(Reason::kBadRequest));
    return 0;
  }
  const auto again = FieldSelector::parse(selector->str());
  CHECK(again.ok());
  CHECK(again->terms().size() == selector->terms().size());
  CHECK(again->str() == FieldSelector::parse(again->str())->str());
  for (const FieldSelector::Term& term : selector->terms())
    CHECK(term.matches(term.value) == term.equal);

  const Resource* pods = builtin_schema().find_resource("", "v1", "pods");
  CHECK(pods != nullptr);
  const auto checked = FieldSelector::parse(text, *pods);
  if (!checked) return 0;
  for (const FieldSelector::Term& term : checked->terms()) {
    CHECK(term.place == FieldSelector::kName || term.place == FieldSelector::kNamespace ||
          term.place < pods->selectable.size());
  }
  return 0;
}
