#include <algorithm>
#include <vector>

#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"
#include "cel/values/print.h"

namespace proa::cel {
namespace extension_lists {

// Lists that functions make are bounded: their cost is charged once they are there, and no cost
// limit allows a longer one.
constexpr int64_t kLongest = 1'000'000;
constexpr std::string_view kTooLong = "list is too long";

// REQUIRES: not longer than kLongest.
std::vector<Value> items(const Value& list) {
  std::vector<Value> out;
  out.reserve(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) out.push_back(list_item(list, i));
  return out;
}

Value slice(Context& context, std::span<const Value> args) {
  const int64_t start = args[1].as_int();
  const int64_t end = args[2].as_int();
  const std::string text =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return context.error(text + "negative indexes not supported");
  if (start > end) {
    return context.error(text + "start index must be less than or equal to end index");
  }
  if (end > args[0].size()) {
    return context.error(text + "list is length " + std::to_string(args[0].size()));
  }
  if (end - start > kLongest) return Value::error(kTooLong);
  std::span<Value> part;
  const Value list = make_list(context.arena(), static_cast<uint32_t>(end - start), part);
  for (size_t i = 0; i < part.size(); ++i) {
    part[i] = list_item(args[0], static_cast<uint32_t>(start) + static_cast<uint32_t>(i));
  }
  return list;
}

// Values can share parts, so that a small one has more of them than there is time for.
class Flattening {
 public:
  // False if the list becomes too long.
  bool add(const Value& list, int64_t depth) {
    for (uint32_t i = 0; i < list.size(); ++i) {
      if (++visited_ > kLongest) return false;
      const Value item = list_item(list, i);
      if (!item.is(ValueKind::kList) || depth == 0) {
        out_.push_back(item);
      } else if (!add(item, depth - 1)) {
        return false;
      }
    }
    return true;
  }
  std::span<const Value> items() const { return out_; }

 private:
  std::vector<Value> out_;
  int64_t visited_ = 0;
};

Value flattened(Context& context, const Value& list, int64_t depth) {
  Flattening flattening;
  if (!flattening.add(list, depth)) return Value::error(kTooLong);
  return make_list(context.arena(), flattening.items());
}
Value flatten_once(Context& context, std::span<const Value> args) {
  return flattened(context, args[0], 1);
}
Value flatten_deep(Context& context, std::span<const Value> args) {
  if (args[1].as_int() < 0) return context.error("level must be non-negative");
  return flattened(context, args[0], args[1].as_int());
}

// The positions of keys in their order; nullopt if they have none.
Value sorted_by(Context& context, const Value& list, const Value& keys) {
  if (list.size() != keys.size()) {
    return context.error(
        "@sortByAssociatedKeys() expected a list of the same size as the "
        "associated keys list, but got " +
        std::to_string(list.size()) + " and " + std::to_string(keys.size()) +
        " elements respectively");
  }
  if (keys.size() > kLongest) return Value::error(kTooLong);
  const std::vector<Value> key_items = items(keys);
  for (const Value& key : key_items) {
    if (key.kind() != key_items[0].kind()) {
      return Value::error("list elements must have the same type");
    }
    if (compare(key, key).is_error()) return Value::error("list elements must be comparable");
  }
  std::vector<uint32_t> order(key_items.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return compare(key_items[a], key_items[b]).as_int() < 0;
  });
  std::vector<Value> out;
  for (const uint32_t position : order) out.push_back(list_item(list, position));
  return make_list(context.arena(), out);
}
Value sort(Context& context, std::span<const Value> args) {
  if (!args[0].is(ValueKind::kList)) return context.error("no such overload: sort");
  return sorted_by(context, args[0], args[0]);
}
Value sort_by_keys(Context& context, std::span<const Value> args) {
  if (!args[0].is(ValueKind::kList) || !args[1].is(ValueKind::kList)) return no_such_overload();
  return sorted_by(context, args[0], args[1]);
}

Value range(Context& context, std::span<const Value> args) {
  const int64_t size = std::max<int64_t>(args[0].as_int(), 0);
  if (size > kLongest) return Value::error("lists.range() is too long");
  std::span<Value> out;
  const Value list = make_list(context.arena(), static_cast<uint32_t>(size), out);
  for (size_t i = 0; i < out.size(); ++i) out[i] = Value::integer(static_cast<int64_t>(i));
  return list;
}

Value reverse(Context& context, std::span<const Value> args) {
  if (args[0].size() > kLongest) return Value::error(kTooLong);
  std::vector<Value> out = items(args[0]);
  std::reverse(out.begin(), out.end());
  return make_list(context.arena(), out);
}

Value distinct(Context& context, std::span<const Value> args) {
  if (args[0].size() > kLongest) return Value::error(kTooLong);
  std::vector<Value> out;
  for (const Value& item : items(args[0])) {
    if (std::none_of(out.begin(), out.end(),
                     [&](const Value& other) { return equal(item, other); })) {
      out.push_back(item);
    }
  }
  return make_list(context.arena(), out);
}

constexpr CallStyle kOperator = CallStyle::kOperator;

#define PROA_CEL_SORT(name, type)                                                           \
  {"sort", "list_" name "_sort", "list(" type ").() -> list(" type ")", sort, kOperator}, { \
    "@sortByAssociatedKeys", "list_" name "_sortByAssociatedKeys",                          \
        "list(A).(list(" type ")) -> list(A)", sort_by_keys, kOperator                      \
  }

constexpr FunctionRow kRows[] = {
    {"slice", "list_slice", "list(A).(int, int) -> list(A)", slice},
    {"flatten", "list_flatten", "list(list(A)).() -> list(A)", flatten_once},
    {"flatten", "list_flatten_int", "list(dyn).(int) -> list(dyn)", flatten_deep},
    PROA_CEL_SORT("int", "int"),
    PROA_CEL_SORT("uint", "uint"),
    PROA_CEL_SORT("double", "double"),
    PROA_CEL_SORT("bool", "bool"),
    PROA_CEL_SORT("google.protobuf.Duration", "duration"),
    PROA_CEL_SORT("google.protobuf.Timestamp", "timestamp"),
    PROA_CEL_SORT("string", "string"),
    PROA_CEL_SORT("bytes", "bytes"),
    {"lists.range", "lists_range", "(int) -> list(int)", range},
    {"reverse", "list_reverse", "list(A).() -> list(A)", reverse},
    {"distinct", "list_distinct", "list(A).() -> list(A)", distinct},
};

}  // namespace extension_lists

std::span<const FunctionRow> extension_list_rows() { return extension_lists::kRows; }

}  // namespace proa::cel
