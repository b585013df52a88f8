// An expression: parsed, checked, priced, planned and evaluated. Nothing may crash, and the cost
// stops what runs too long.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/expression/compile.h"
#include "json/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  static const json::Document* document = new json::Document(std::move(
      *json::parse(R"({"a": {"b": [1, 2.5, "x", null, true]}, "c": "text", "d": {}, "e": []})")));
  static const cel::Environment* environment = [] {
    auto* made = new cel::Environment(cel::kubernetes_environment(36));
    made->add_variable("self", "dyn");
    made->add_variable("names", "list(string)");
    return made;
  }();
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const cel::Compiled compiled = cel::compile(source, *environment);
  if (compiled.program == nullptr) return 0;
  json::Arena arena;
  const cel::Value values[] = {cel::from_json(document->root()),
                               cel::from_json(*document->root().find("e"))};
  static_cast<void>(compiled.program->evaluate(values, arena, 20'000));
  return 0;
}
