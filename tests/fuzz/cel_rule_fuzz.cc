// A schema, a rule and an object, each on a line: read, checked, priced and evaluated. Nothing may
// crash, and costs stop what runs too long.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/expression/rule.h"
#include "cel/values/typed.h"
#include "json/parse.h"

namespace {

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto schema = json::parse(take_line(rest));
  const std::string_view rule = take_line(rest);
  const auto object = json::parse(take_line(rest));
  if (!schema.ok() || !object.ok()) return 0;
  const cel::Shapes shapes(schema->root(), size % 2 == 0);
  const cel::CompiledRule compiled =
      cel::RuleCompiler(shapes.root(), 36)
          .compile({.rule = rule, .message_expression = rule, .optional_old_self = size % 3 == 0});
  if (compiled.program == nullptr) return 0;
  json::Arena arena;
  const cel::Value self = cel::typed_value(arena, object->root(), shapes.root());
  const cel::Value values[] = {
      self, size % 3 == 0 ? cel::optional_old_self(arena, &object->root(), shapes.root()) : self};
  static_cast<void>(compiled.program->evaluate(values, arena, 20'000));
  return 0;
}
