#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"
#include "base/result.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Credentials, and the secret that they come from.
struct PullKey {
  cri::PullCredentials credentials = {};
  std::string hash = {};  // of the credentials
  api::Uid secret_uid = {};
  std::string secret_namespace = {};
  std::string secret_name = {};

  bool is_same_secret(const PullKey& other) const {
    return secret_uid == other.secret_uid && secret_namespace == other.secret_namespace &&
           secret_name == other.secret_name;
  }
};

// The credentials of pull secrets by registry.
class Keyring {
 public:
  // Adds a secret of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg; others are
  // ignored. Fails if it cannot be parsed; the failure never contains its content.
  Result<void> add(const api::Object& secret);

  // The credentials for a repository ("quay.io/team/app"), the most specific first. Registry hosts
  // may be globs, paths are prefixes.
  std::vector<PullKey> find(std::string_view repository) const;

 private:
  void add_entry(std::string_view place, PullKey key);

  // By host and path, in descending order: "quay.io/team" comes before "quay.io".
  std::map<std::string, std::vector<PullKey>, std::greater<>> keys_;
};

// Whether a keyring entry covers a repository: "*.example.com:5000/team".
bool covers(std::string_view place, std::string_view repository);

}  // namespace proa::kubelet
