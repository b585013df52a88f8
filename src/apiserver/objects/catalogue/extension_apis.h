#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/objects/follower.h"
#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::apiserver {

// A group version that another server answers for: an APIService with a Service.
struct ExtensionApi {
  std::string name;  // of the APIService: "v1beta1.metrics.k8s.io"
  std::string group;
  std::string version;
  std::string service_namespace;
  std::string service_name;
  int64_t port = 443;
  std::string authority_pem;  // empty: the system's trust store
  bool skips_verification = false;
  int group_priority = 0;
  int version_priority = 0;
  bool available = false;  // the condition Available

  // "/apis/metrics.k8s.io/v1beta1"
  std::string path() const { return "/apis/" + group + "/" + version; }
  // The name that the server's certificate must have.
  std::string server_name() const { return service_name + "." + service_namespace + ".svc"; }
  bool operator==(const ExtensionApi&) const = default;
};
using ExtensionApiPtr = std::shared_ptr<const ExtensionApi>;

// All of them at one moment, sorted by name.
struct ExtensionApiList {
  uint64_t number = 0;  // another one after every change
  std::vector<ExtensionApiPtr> apis;
};
using ExtensionApiListPtr = std::shared_ptr<const ExtensionApiList>;

// The group versions of extension API servers, current when read. Built-in groups are never given
// away, so that nobody who may write APIServices can take Secrets or roles over. Thread-safe.
class ExtensionApis {
 public:
  // `changed`: called, on any thread, when there are changes; must not read. REQUIRES: all outlive
  // it.
  ExtensionApis(store::Store& store, const api::Schema& builtin,
                std::function<void()> changed = {});

  // Null if there is none.
  ExtensionApiPtr find(std::string_view group, std::string_view version);
  // By the name of the APIService.
  ExtensionApiPtr find(std::string_view name);
  ExtensionApiListPtr list() EXCLUDES(mutex_);

 private:
  void take(std::string_view key, const api::ObjectPtr& object);

  const std::set<std::string_view> builtin_groups_;
  // By name. Both belong to the follower's lock.
  std::map<std::string, ExtensionApiPtr, std::less<>> apis_;
  uint64_t changes_ = 1;
  Follower follower_;
  Mutex mutex_;
  ExtensionApiListPtr list_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
