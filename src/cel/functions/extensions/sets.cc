#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"
#include "cel/values/print.h"

namespace proa::cel {
namespace extension_sets {

bool has(const Value& list, const Value& item) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (equal(item, list_item(list, i))) return true;
  }
  return false;
}

bool has_all(const Value& list, const Value& of) {
  for (uint32_t i = 0; i < of.size(); ++i) {
    if (!has(list, list_item(of, i))) return false;
  }
  return true;
}

Value contains(Context&, std::span<const Value> args) {
  return Value::boolean(has_all(args[0], args[1]));
}
Value equivalent(Context&, std::span<const Value> args) {
  return Value::boolean(has_all(args[0], args[1]) && has_all(args[1], args[0]));
}
Value intersects(Context&, std::span<const Value> args) {
  for (uint32_t i = 0; i < args[0].size(); ++i) {
    if (has(args[1], list_item(args[0], i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr FunctionRow kRows[] = {
    {"sets.contains", "list_sets_contains_list", "(list(A), list(A)) -> bool", contains},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(A), list(A)) -> bool", equivalent},
    {"sets.intersects", "list_sets_intersects_list", "(list(A), list(A)) -> bool", intersects},
};

// What transformMap() adds to.
Value inserted(Context& context, const Value& map, const Value& more) {
  MapBuilder builder(context.arena(), map, more.size());
  for (uint32_t i = 0; i < more.size(); ++i) {
    const Value key = map_key(more, i);
    if (!builder.insert(key, map_value(more, i))) {
      return context.error("insert failed: key " + print_plain(key) + " already exists");
    }
  }
  return builder.build();
}
Value insert_map(Context& context, std::span<const Value> args) {
  return inserted(context, args[0], args[1]);
}
Value insert_entry(Context& context, std::span<const Value> args) {
  MapBuilder one(context.arena(), 1);
  one.set(args[1], args[2]);
  return inserted(context, args[0], one.build());
}

constexpr FunctionRow kInsertRows[] = {
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(A, B), A, B) -> map(A, B)", insert_entry},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(A, B), map(A, B)) -> map(A, B)", insert_map},
};

}  // namespace extension_sets

std::span<const FunctionRow> set_rows() { return extension_sets::kRows; }
std::span<const FunctionRow> map_insert_rows() { return extension_sets::kInsertRows; }

}  // namespace proa::cel
