// The input is what a conversion webhook answers: whatever is accepted has the wanted version and
// the identity of the original.

#include <cstdint>
#include <string>

#include "apiserver/streaming/webhooks/conversion_review.h"
#include "base/check.h"
#include "json/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  const json::Document original = json::parse_literal(
      R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"n",)"
      R"("uid":"u","labels":{"l":"1"}},"spec":{"crew":2}})");
  const json::Value* const objects[] = {&original.root()};
  for (const char* version : {"v1", "v1beta1"}) {
    const auto read = apiserver::read_conversion(
        {.version = version, .uid = "q", .wanted = "example.com/v2", .objects = objects},
        {reinterpret_cast<const char*>(data), size});
    if (!read) continue;
    CHECK(read->size() == 1);
    const api::View object(read->front().root());
    CHECK(object["apiVersion"].text() == "example.com/v2" && object["kind"].text() == "Ship");
    CHECK(object["metadata"]["name"].text() == "a" && object["metadata"]["uid"].text() == "u");
    for (const json::Member& label : object["metadata"]["labels"].members())
      CHECK(label.value.is(json::Kind::kString));
  }
  return 0;
}
