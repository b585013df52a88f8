#include "client/client.h"

namespace proa::client {

std::string describe(const Place& place) {
  std::string text(place.resource->name);
  if (!place.subresource.empty()) text += "/" + place.subresource;
  if (!place.name_space.empty() || !place.name.empty()) text += " ";
  if (!place.name_space.empty()) text += place.name_space + "/";
  return text + place.name;
}

}  // namespace proa::client
