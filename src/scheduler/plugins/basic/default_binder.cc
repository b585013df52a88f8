#include "scheduler/plugins/basic/default_binder.h"

#include "api/object/edit.h"
#include "json/print.h"

namespace proa::scheduler {
namespace default_binder {

json::Document make_binding(const Pod& pod, api::NodeNameView node) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit binding(document);
  binding.set("apiVersion", "v1");
  binding.set("kind", "Binding");
  const api::Edit metadata = binding.object("metadata");
  metadata.set("name", pod.name());
  metadata.set("namespace", pod.name_space());
  // Rejects the binding of a pod that was recreated under the same name.
  metadata.set("uid", pod.uid().view());
  const api::Edit target = binding.object("target");
  target.set("kind", "Node");
  target.set("name", node.view());
  return document;
}

class DefaultBinder final : public BindPlugin {
 public:
  DefaultBinder(client::Client& client, const api::Resource& pods) : client_(client), pods_(pods) {}

  std::string_view name() const override { return "DefaultBinder"; }

  Result<bool> bind(const Pod& pod, api::NodeNameView node, const Until& until) override {
    const client::Place place{.resource = &pods_,
                              .name_space = std::string(pod.name_space()),
                              .name = std::string(pod.name()),
                              .subresource = "binding"};
    TRY(client_.create(place, make_binding(pod, node), {}, until));
    return true;
  }

 private:
  client::Client& client_;
  const api::Resource& pods_;
};

}  // namespace default_binder

Result<std::unique_ptr<Plugin>> make_default_binder(const PluginContext& context,
                                                    api::View /*args*/) {
  const api::Resource* pods = context.schema.find_resource("", "v1", "pods");
  CHECK(pods != nullptr);
  return std::make_unique<default_binder::DefaultBinder>(context.client.unbounded(), *pods);
}

}  // namespace proa::scheduler
