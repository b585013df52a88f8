#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Credentials, and the secret that they come from.
struct PullKey {
  cri::PullCredentials credentials = {};
  std::string hash = {};  // of the credentials
  std::string secret_uid = {};
  std::string secret_namespace = {};
  std::string secret_name = {};

  bool is_same_secret(const PullKey& other) const {
    return secret_uid == other.secret_uid && secret_namespace == other.secret_namespace &&
           secret_name == other.secret_name;
  }
};

// The credentials of pull secrets, by the registry that they are for.
class Keyring {
 public:
  // Takes in a secret of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg; others
  // hold nothing for us. A failure when its content can't be read; it names no content.
  Result<void> add(const api::Object& secret);

  // Those for a repository ("quay.io/team/app"), the most specific first; places may have globs in
  // their hosts and are prefixes in their paths.
  std::vector<PullKey> find(std::string_view repository) const;

 private:
  void add_entry(std::string_view place, PullKey key);

  // By host and path, in reverse: "quay.io/team" stands before "quay.io".
  std::map<std::string, std::vector<PullKey>, std::greater<>> keys_;
};

// Whether a place as keyrings have it covers a repository: "*.example.com:5000/team".
bool covers(std::string_view place, std::string_view repository);

}  // namespace proa::kubelet
