#include "controllers/pods/share.h"

#include "kinds/checks/int_or_percent.h"

namespace proa::controllers {

Share Share::from(api::View value) {
  return {.number = kinds::int_or_percent_number(value), .percent = value.is(json::Kind::kString)};
}

}  // namespace proa::controllers
