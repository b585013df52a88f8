#pragma once

#include <functional>
#include <map>

#include "kubelet/model/object_source.h"
#include "kubelet/pod/environment/downward_api.h"
#include "kubelet/pod/environment/variable.h"

namespace proa::kubelet {

struct EnvironmentInputs {
  const Pod& pod;
  api::View container;
  const PodFacts& facts;
  ObjectSource& objects;
  // The services that get variables: those of the namespace, and default/kubernetes. Others are
  // ignored. Null: none.
  std::function<std::vector<api::ObjectPtr>(std::string_view name_space)> services;
  // The folders of volumes, for env.valueFrom.fileKeyRef.
  const std::map<std::string, std::string, std::less<>>* volume_paths = nullptr;
  // False before the first list of services: pods of the API server wait, static pods start without
  // them.
  bool services_known = true;
};

// The complete environment of a container: service variables, envFrom, env, with $(VAR) expanded;
// each name once. Failures are those of upstream's CreateContainerConfigError.
Result<Environment> make_environment(const EnvironmentInputs& inputs);

// Expands $(VAR) in command, args and the like; $$ is a dollar. Unknown variables stay as they are,
// and so does a text that would exceed the size limit of arguments.
std::string expand(std::string_view text, const Environment& environment);

}  // namespace proa::kubelet
