#include "controllers/framework/informers.h"

#include "controllers/framework/custom/custom_informers.h"
#include "controllers/framework/owners.h"

namespace proa::controllers {
namespace informers {

constexpr std::string_view kDefinitionGroup = "apiextensions.k8s.io";

std::vector<std::string> controller_uid(const api::Object& object) {
  const api::Metadata::Owner* owner = controller_of(object);
  if (owner == nullptr) return {orphans_of(object.metadata().name_space)};
  return {std::string(owner->uid)};
}

}  // namespace informers

std::string orphans_of(std::string_view name_space) { return "/" + std::string(name_space); }

Informers::Informers(client::Client& client, const api::Schema& schema, Clock& clock,
                     Random& random)
    : client::Informers(client, schema, clock, random),
      client_(client),
      schema_(schema),
      clock_(clock),
      random_(random) {}

Informers::~Informers() = default;

client::Informer& Informers::by_controller(std::string_view group, std::string_view resource) {
  return indexed(group, resource, "controller", informers::controller_uid);
}

CustomResources& Informers::custom() {
  if (custom_ == nullptr) {
    custom_ = std::make_unique<CustomResources>(
        of(informers::kDefinitionGroup, "customresourcedefinitions"), schema_);
  }
  return *custom_;
}

CustomInformers& Informers::custom_objects() {
  if (custom_objects_ == nullptr) {
    custom_objects_ = std::make_unique<CustomInformers>(custom(), client_, clock_, random_);
    custom_objects_->on_work(custom_turn_.waker());  // until join()
  }
  return *custom_objects_;
}

void Informers::join(Poller& poller, Poller& custom_poller) {
  client::Informers::join(poller);
  if (custom_objects_ != nullptr) custom_poller.add(*custom_objects_);
}

void Informers::poll() {
  client::Informers::poll();
  poll_custom();
}

void Informers::poll_some(Random& random) {
  client::Informers::poll_some(random);
  poll_custom();
}

void Informers::poll_custom() {
  if (custom_objects_ == nullptr || !custom_turn_.wanted(clock_.steady())) return;
  custom_turn_.begin();
  custom_turn_.end(custom_objects_->poll());
}

}  // namespace proa::controllers
