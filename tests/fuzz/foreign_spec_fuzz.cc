// The input is the OpenAPI v2 document of an extension server: what is accepted becomes a document
// of v3 that is JSON, and refers to nothing that it does not have.

#include <cstdint>
#include <string>

#include "api/object/view.h"
#include "apiserver/representation/openapi/foreign/converted_spec.h"
#include "base/check.h"
#include "json/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  const auto spec = apiserver::read_foreign_spec({reinterpret_cast<const char*>(data), size},
                                                 "wardle.example.com", "v1");
  if (!spec) return 0;
  const apiserver::ConvertedSpecPtr made = apiserver::convert_to_version3(*spec);
  if (made == nullptr) return 0;  // too long
  const Result<json::Document> converted = json::parse(made->text.view());
  CHECK(converted.ok());
  const api::View root(converted->root());
  CHECK(root["paths"].size() == spec->paths.size());
  CHECK(root["components"]["schemas"].size() == spec->definitions.size());
  return 0;
}
