#include "kubelet/pod/container/runtime_handler.h"

#include <algorithm>

namespace proa::kubelet {
namespace runtime_handlers {

bool asks_for_recursion(const Pod& pod) {
  for (const ContainerSpec& container : containers_of(pod)) {
    const auto mounts = container.view["volumeMounts"].items();
    if (std::any_of(mounts.begin(), mounts.end(),
                    [](api::View mount) { return mount["recursiveReadOnly"].exists(); })) {
      return true;
    }
  }
  return false;
}

}  // namespace runtime_handlers

Result<std::string> runtime_handler_of(ObjectSource& objects, const Pod& pod) {
  const std::string_view class_name = pod.spec()["runtimeClassName"].text();
  if (class_name.empty()) return std::string();
  const api::ObjectPtr found = TRY(objects.get("node.k8s.io", "runtimeclasses", "", class_name));
  const json::Document document = TRY(found->document());
  return std::string(api::View(document.root())["handler"].text());
}

bool mounts_recursively(ObjectSource& objects,
                        const std::function<bool(const std::string& handler)>& handler_can,
                        const Pod& pod) {
  if (!runtime_handlers::asks_for_recursion(pod)) return false;
  const Result<std::string> handler = runtime_handler_of(objects, pod);
  return handler.ok() && handler_can(*handler);
}

}  // namespace proa::kubelet
