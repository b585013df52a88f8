// YAML parses to a JSON document within the limits.

#include <cstdint>

#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::json;
  const auto documents = parse_yaml_stream({reinterpret_cast<const char*>(data), size},
                                           {.max_alias_bytes = size_t{64} * 1024});
  if (!documents) return 0;
  for (const auto& document : *documents) {
    CHECK(document.root().depth() <= kMaxDepth);
    CHECK(parse(print(document.root())).ok());
  }
  return 0;
}
