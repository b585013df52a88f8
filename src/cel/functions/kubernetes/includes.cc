#include <string>

#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_includes {

// The values that all attributes of a device can have together: upstream's
// ResourceSliceMaxAttributeValuesPerDevice.
constexpr uint32_t kMostValues = 48;

// Whether a list has a value, or a value is another one.
Value includes(Context& context, std::span<const Value> args) {
  if (!args[0].is(ValueKind::kList)) return Value::boolean(equal(args[0], args[1]));
  for (uint32_t i = 0; i < args[0].size(); ++i) {
    if (i >= kMostValues) {
      return context.error("'includes' function cannot be applied to lists longer than " +
                           std::to_string(kMostValues) + " values");
    }
    if (equal(list_item(args[0], i), args[1])) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr FunctionRow kRows[] = {
    {"includes", "dra_includes_dyn_dyn", "dyn.(dyn) -> bool", includes},
};

}  // namespace kubernetes_includes

std::span<const FunctionRow> kubernetes_includes_rows() { return kubernetes_includes::kRows; }

}  // namespace proa::cel
