#include "controllers/framework/informers.h"

#include "controllers/framework/owners.h"

namespace proa::controllers {
namespace informers {

std::vector<std::string> controller_uid(const api::Object& object) {
  const api::Metadata::Owner* owner = controller_of(object);
  if (owner == nullptr) return {orphans_of(object.metadata().name_space)};
  return {std::string(owner->uid)};
}

}  // namespace informers

std::string orphans_of(std::string_view name_space) { return "/" + std::string(name_space); }

client::Informer& Informers::by_controller(std::string_view group, std::string_view resource) {
  return indexed(group, resource, "controller", informers::controller_uid);
}

}  // namespace proa::controllers
