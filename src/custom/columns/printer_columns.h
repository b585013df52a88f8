#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "custom/columns/json_path.h"

namespace proa::custom {

// The additionalPrinterColumns of a version: what `kubectl get` shows besides the name. Immutable.
class PrinterColumns {
 public:
  // How long ago: "5d".
  using Age = std::function<std::string(Time)>;

  // `columns`: the list of the definition; null: none. Those from the first path on that cannot be
  // parsed are left out, as upstream does.
  explicit PrinterColumns(const json::Value* columns);

  size_t size() const { return columns_.size(); }
  // A cell for each column: null where the path finds nothing, or something of another type.
  // `steps` are what the row may cost: cells beyond are null, except those of plain paths that are
  // no texts.
  std::vector<json::Value> cells(json::Arena& arena, const json::Value& object, const Age& age,
                                 PathSteps& steps) const;

 private:
  struct Column {
    std::string type;  // "integer", "number", "string", "boolean", "date"
    JsonPath path;
  };
  std::vector<Column> columns_;
};

// The value of a selectable field as field selectors compare it; empty if it is not there.
std::string selectable_value(const JsonPath& path, const json::Value& object);

}  // namespace proa::custom
