// YAML parses to a JSON document within the limits.

#include <cstdint>

#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/count.h"
#include "json/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  proa::Budget budget({.values = 2'000});
  const auto paid =
      parse_yaml_stream(text, {.max_alias_bytes = size_t{64} * 1024, .budget = &budget});
  const auto documents = parse_yaml_stream(text, {.max_alias_bytes = size_t{64} * 1024});
  CHECK(budget.exceeded() || paid.ok() == documents.ok());
  if (!documents) return 0;
  size_t values = 0;
  for (const auto& document : *documents) {
    CHECK(document.root().depth() <= kMaxDepth);
    const std::string printed = print(document.root());
    CHECK(parse(printed).ok());
    values += count_values(printed, printed.size());
  }
  CHECK(!paid || values <= 2'000);
  return 0;
}
