#include "controllers/network/node_ttl.h"

#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <optional>

#include "api/object/view.h"
#include "base/strings.h"
#include "controllers/framework/writes.h"
#include "json/parse.h"

namespace proa::controllers {
namespace node_ttl {

using client::Again;
using client::Key;

constexpr const char* kAnnotation = "node.alpha.kubernetes.io/ttl";

struct Step {
  size_t fewest;
  size_t most;
  int seconds;
};
// Upstream's.
constexpr Step kSteps[] = {
    {0, 100, 0},
    {90, 500, 15},
    {450, 1000, 30},
    {900, 2000, 60},
    {1800, std::numeric_limits<size_t>::max(), 300},
};

// The value of the annotation.
struct Ttl {
  std::optional<int64_t> seconds;
};

const Ttl& ttl_of(const api::Object& node) {
  return node.kept<Ttl>([&] {
    const Result<json::Document> document = node.document();
    if (!document) return Ttl{};
    return Ttl{
        parse_int(api::View(document->root())["metadata"]["annotations"][kAnnotation].text())};
  });
}

class NodeTtlController final : public Controller {
 public:
  explicit NodeTtlController(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource("", "v1", "nodes")),
        nodes_(context.informers.of("", "nodes")) {}

  void listen(client::WorkQueue& queue) override {
    nodes_.add_handler([this, &queue](const client::Change& change) {
      const size_t step = step_.load();
      step_ = ttl_step(step, nodes_.cache().size());
      if (step_ != step) {
        for (const api::ObjectPtr& node : nodes_.cache().list()) queue.add(Key::of(*node));
      } else if (change.after != nullptr && !is_right(*change.after)) {
        queue.add(change.key);
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr node = nodes_.cache().get(key);
    if (node == nullptr || is_right(*node)) return Again{};
    TRY(unless_gone(client_.patch(
        place_of(resource_, key), api::PatchType::kMerge,
        json::parse_literal(fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})",
                                        kAnnotation, ttl_seconds(step_))),
        {})));
    return Again{};
  }

 private:
  bool is_right(const api::Object& node) const {
    return ttl_of(node).seconds == ttl_seconds(step_);
  }

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& nodes_;
  std::atomic<size_t> step_ = 0;  // written only by the informer's handler
};

}  // namespace node_ttl

size_t ttl_step(size_t step, size_t nodes) {
  while (nodes > node_ttl::kSteps[step].most) ++step;
  while (nodes < node_ttl::kSteps[step].fewest) --step;
  return step;
}

int ttl_seconds(size_t step) { return node_ttl::kSteps[step].seconds; }

std::unique_ptr<Controller> make_node_ttl_controller(const ControllerContext& context) {
  return std::make_unique<node_ttl::NodeTtlController>(context);
}

}  // namespace proa::controllers
