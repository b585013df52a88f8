// The input is fieldsV1 in JSON, or two of them in a list: what is read is printed canonically, and
// sets obey their algebra.

#include <cstdint>
#include <string>

#include "api/apply/fields/fields_v1.h"
#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  using namespace proa::api;
  const auto input = json::parse({reinterpret_cast<const char*>(data), size});
  if (!input) return 0;
  const json::Value& root = input->root();
  const bool pair = root.is(json::Kind::kArray) && root.items().size() == 2;
  json::Arena arena;
  const Result<FieldSet> one = parse_fields_v1(pair ? root.items()[0] : root, arena);
  const Result<FieldSet> other = parse_fields_v1(pair ? root.items()[1] : root, arena);
  if (!one || !other) return 0;

  const std::string printed = print_fields_v1(*one);
  const json::Document reparsed = json::parse_literal(printed);
  CHECK(json::print(to_fields_v1(*one, arena)) == printed);
  const Result<FieldSet> again = parse_fields_v1(reparsed.root(), arena);
  CHECK(again && *again == *one && print_fields_v1(*again) == printed);

  FieldSetMaker make(arena);
  const FieldSet both = make.unite(*one, *other);
  const FieldSet shared = make.intersect(*one, *other);
  const FieldSet rest = make.subtract(*one, *other);
  CHECK(both.contains(*one) && both.contains(*other));
  CHECK(one->contains(shared) && other->contains(shared));
  CHECK(make.unite(rest, shared) == *one);
  CHECK(make.intersect(rest, *other).empty());
  CHECK(rest.contains(make.subtract_with_below(*one, *other)));
  CHECK(both.size() + shared.size() == one->size() + other->size());
  CHECK(one->contains(make.leaves(*one)));
  json::Value encoded = to_fields_v1(*one, arena);
  CHECK(has_any(encoded, *other) == !shared.empty());
  CHECK(has_all(encoded, *other) == one->contains(*other));
  remove_paths(encoded, *other);
  CHECK(json::print(encoded) == print_fields_v1(rest));
  one->for_each([&](std::span<const Element> path) { CHECK(one->has(path)); });
  return 0;
}
