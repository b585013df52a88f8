#pragma once

#include "api/object/view.h"

namespace proa::controllers {

// A number of pods or nodes, or a share of them all: 3, "25%".
struct Share {
  int64_t number = 0;
  bool percent = false;

  // None at all when there is no such field.
  static Share from(api::View value);
  // A part of one is one.
  int64_t rounded_up(int64_t all) const { return percent ? (number * all + 99) / 100 : number; }
  int64_t rounded_down(int64_t all) const { return percent ? number * all / 100 : number; }
};

}  // namespace proa::controllers
