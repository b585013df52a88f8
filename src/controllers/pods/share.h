#pragma once

#include <optional>

#include "api/object/view.h"
#include "api/typed/values.h"

namespace proa::controllers {

// An absolute number or a percentage: 3, "25%" (upstream's IntOrString).
struct Share {
  int64_t number = 0;
  bool percent = false;

  // Zero if the field is absent.
  static Share from(api::View value);
  static Share from(const std::optional<api::IntOrString>& value);
  // Rounds up.
  int64_t rounded_up(int64_t all) const { return percent ? (number * all + 99) / 100 : number; }
  int64_t rounded_down(int64_t all) const { return percent ? number * all / 100 : number; }
};

}  // namespace proa::controllers
