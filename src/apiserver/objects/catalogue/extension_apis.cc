#include "apiserver/objects/catalogue/extension_apis.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace extension_apis {

using api::View;

const Log kLog{"aggregation"};
constexpr std::string_view kPrefix = "/registry/apiregistration.k8s.io/apiservices/";

std::set<std::string_view> groups_of(const api::Schema& schema) {
  std::set<std::string_view> groups;
  for (const api::Resource* resource : schema.resources()) groups.insert(resource->group);
  return groups;
}

bool is_available(View status) {
  const auto conditions = status["conditions"].items();
  return std::ranges::any_of(conditions, [](View one) {
    return one["type"].text() == "Available" && one["status"].text() == "True";
  });
}

// Null if this server answers itself.
Result<ExtensionApiPtr> read(const api::Object& object) {
  const json::Document document = TRY(object.document());
  const View root(document.root());
  const View spec = root["spec"];
  const View service = spec["service"];
  if (!service) return ExtensionApiPtr();
  const std::optional<std::string> authority = from_base64(spec["caBundle"].text());
  if (!authority) return Status(Reason::kInvalid, "the CA bundle is not base64");
  auto api = std::make_shared<ExtensionApi>();
  api->name = object.metadata().name;
  api->group = spec["group"].text();
  api->version = spec["version"].text();
  api->service_namespace = service["namespace"].text();
  api->service_name = service["name"].text();
  api->port = service["port"].integer(api->port);
  if (!trim(*authority).empty()) api->authority_pem = *authority;
  api->skips_verification = spec["insecureSkipTLSVerify"].flag();
  api->group_priority = static_cast<int>(spec["groupPriorityMinimum"].integer());
  api->version_priority = static_cast<int>(spec["versionPriority"].integer());
  api->available = is_available(root["status"]);
  return ExtensionApiPtr(std::move(api));
}

}  // namespace extension_apis

ExtensionApis::ExtensionApis(store::Store& store, const api::Schema& builtin,
                             std::function<void()> changed)
    : builtin_groups_(extension_apis::groups_of(builtin)),
      follower_(
          store, {std::string(extension_apis::kPrefix)},
          [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); },
          std::move(changed)) {}

void ExtensionApis::take(std::string_view key, const api::ObjectPtr& object) {
  const std::string_view name = key.substr(extension_apis::kPrefix.size());
  ExtensionApiPtr next;
  if (object != nullptr) {
    Result<ExtensionApiPtr> read = extension_apis::read(*object);
    if (read) {
      next = std::move(*read);
    } else {
      extension_apis::kLog.error("APIService cannot be served",
                                 {{"name", name}, {"error", read.status()}});
    }
    if (next != nullptr && builtin_groups_.contains(next->group)) next = nullptr;
  }
  const auto known = apis_.find(name);
  if (next == nullptr) {
    if (known == apis_.end()) return;
    apis_.erase(known);
  } else if (known == apis_.end()) {
    apis_.emplace(name, std::move(next));
  } else {
    if (*known->second == *next) return;
    known->second = std::move(next);
  }
  ++changes_;
}

ExtensionApiPtr ExtensionApis::find(std::string_view name) {
  return follower_.read([&]() -> ExtensionApiPtr {
    const auto found = apis_.find(name);
    return found == apis_.end() ? nullptr : found->second;
  });
}

ExtensionApiPtr ExtensionApis::find(std::string_view group, std::string_view version) {
  if (builtin_groups_.contains(group)) return nullptr;  // most requests
  std::string name(version);
  name.append(".").append(group);
  ExtensionApiPtr found = find(name);
  // "v1.b" of "example" has the name of "v1" of "b.example".
  return found != nullptr && found->group == group && found->version == version ? found : nullptr;
}

ExtensionApiListPtr ExtensionApis::list() {
  MutexLock lock(mutex_);
  ExtensionApiListPtr before = list_;
  list_ = follower_.read([&]() -> ExtensionApiListPtr {
    if (before != nullptr && before->number == changes_) return before;
    auto made = std::make_shared<ExtensionApiList>();
    made->number = changes_;
    for (const auto& [name, api] : apis_) made->apis.push_back(api);
    return made;
  });
  return list_;
}

}  // namespace proa::apiserver
