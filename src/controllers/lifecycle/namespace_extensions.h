#pragma once

#include <string>

#include "controllers/framework/controller.h"
#include "controllers/lifecycle/namespace_remains.h"

namespace proa::controllers {

// The objects of a namespace that extension API servers hold: those of APIServices with a Service.
class NamespaceExtensions {
 public:
  // Before the informers start.
  explicit NamespaceExtensions(const ControllerContext& context);

  // Deletes what can be deleted now, and adds the rest to `remains`. While the server of an
  // APIService does not say which resources it has, nobody knows whether the namespace is empty.
  void empty(const std::string& name_space, NamespaceRemains& remains) const;

 private:
  struct Version {
    std::string api_service;
    std::string group;
    std::string path;  // "/apis/metrics.k8s.io/v1beta1"
    int64_t priority = 0;
    bool available = false;
  };
  struct Resource {
    std::string name;
    bool removes_collections = false;  // otherwise its objects are deleted one by one
  };
  using Document = Result<json::Document>;

  std::vector<Version> versions() const;
  // Those of namespaces whose objects can be deleted.
  Result<std::vector<Resource>> discover(const Version& version) const;
  void remove_all(const Version& version, const Resource& resource, const std::string& name_space,
                  NamespaceRemains& remains) const;
  Result<void> remove(const Version& version, const Resource& resource, const std::string& place,
                      api::View items) const;
  Document ask(const Version& version, std::string method, std::string path) const;

  client::Informer& api_services_;
  const ControllerOptions::CallExtension call_;
};

}  // namespace proa::controllers
