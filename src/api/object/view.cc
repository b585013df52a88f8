#include "api/object/view.h"

#include "base/strings.h"

namespace proa::api {

View View::at(std::string_view path) const {
  View place = *this;
  for (const std::string_view name : split(path, '.')) place = place[name];
  return place;
}

bool View::operator==(const View& other) const {
  if (!exists() || !other.exists()) return exists() == other.exists();
  return value_ == other.value_ || *value_ == *other.value_;
}

}  // namespace proa::api
