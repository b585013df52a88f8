#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/time.h"

// The columns and cells of tables, as `kubectl get` prints them.

namespace proa::kinds {

// A column of `kubectl get`.
struct Column {
  std::string_view name;
  std::string_view type = "string";  // string, integer, number, boolean, date
  std::string_view format = "";      // "name" for the name column
  int priority = 0;                  // positive: only with -o wide
  std::string_view description = "";
};

// A short form of a duration: "5d12h".
std::string human_duration(Duration duration);

// The cells of one row, in the order of the columns.
class Cells {
 public:
  virtual ~Cells() = default;
  virtual void text(std::string_view text) = 0;
  virtual void number(int64_t number) = 0;
  virtual void flag(bool flag) = 0;
  virtual Time now() const = 0;

  // The time since the timestamp in short form: "5d12h"; "<unknown>" if absent.
  void age(api::View timestamp);
};

}  // namespace proa::kinds
