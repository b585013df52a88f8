#include "controllers/framework/controller_set.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

// Tells of every ConfigMap that it saw it.
class Teller final : public Controller {
 public:
  explicit Teller(const ControllerContext& context)
      : events_(context.events), maps_(context.informers.of("", "configmaps")) {}

  void listen(client::WorkQueue& queue) override {
    maps_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
  }
  Result<client::Again> reconcile(const client::Key& key) override {
    const api::ObjectPtr map = maps_.cache().get(key);
    if (map != nullptr) events_.normal(client::ObjectReference::to(*map), "Seen", "Seen it");
    return client::Again{};
  }

 private:
  client::EventRecorder& events_;
  client::Informer& maps_;
};

std::string component_of_events(const ControllerEntry& entry) {
  testkit::TestWorld world{std::vector<ControllerEntry>{entry}};
  world.create("", "configmaps", "default", R"({"metadata":{"name":"a"}})");
  world.settle();
  const std::vector<api::ObjectPtr> events = world.list("", "events", "default");
  if (events.size() != 1) return "none";
  const json::Document document = events.front()->document().value();
  return std::string(api::View(document.root())["source"]["component"].text());
}

TEST(ControllerSet, TellsUnderTheAccountOrUnderAnotherName) {
  const auto make = [](const ControllerContext& context) -> std::unique_ptr<Controller> {
    return std::make_unique<Teller>(context);
  };
  EXPECT_EQ(component_of_events({"a", "job-controller", make}), "job-controller");
  EXPECT_EQ(component_of_events({"a", "job-controller", make, "teller"}), "teller");
}

}  // namespace
}  // namespace proa::controllers
