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
  std::string_view format = "";      // "name" for the first
  int priority = 0;                  // more than zero: with -o wide only
  std::string_view description = "";
};

// A few characters that say how long that is: "5d12h".
std::string human_duration(Duration duration);

// The cells of one row, in the order of the columns.
class Cells {
 public:
  virtual ~Cells() = default;
  virtual void text(std::string_view text) = 0;
  virtual void number(int64_t number) = 0;
  virtual void flag(bool flag) = 0;
  virtual Time now() const = 0;

  // How long ago that was, in a few characters: "5d12h"; "<unknown>" when it is absent.
  void age(api::View timestamp);
};

}  // namespace proa::kinds
