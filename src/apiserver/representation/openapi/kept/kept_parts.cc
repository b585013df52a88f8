#include "apiserver/representation/openapi/kept/kept_parts.h"

#include <map>
#include <utility>

#include "base/threads/mutex.h"

namespace proa::apiserver {

struct KeptParts::Parts {
  Difference paths;
  Difference schemas;
};

// Kept with the object of a definition, for each of its versions and each encoding.
class KeptParts::Slots {
 public:
  using Key = std::pair<std::string, DocumentEncoding>;

  std::shared_ptr<const Parts> find(const Key& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = parts_.find(key);
    return found == parts_.end() ? nullptr : found->second;
  }
  void keep(const Key& key, const std::shared_ptr<const Parts>& parts) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    parts_.insert_or_assign(key, parts);
  }

 private:
  Mutex mutex_;
  std::map<Key, std::shared_ptr<const Parts>> parts_ GUARDED_BY(mutex_);
};

std::shared_ptr<const KeptParts::Parts> KeptParts::find(const custom::CustomResource& resource) {
  const api::Object& object = *resource.definition().object();
  Slots& slots = *object.kept<std::unique_ptr<Slots>>([] { return std::make_unique<Slots>(); });
  const Slots::Key key(resource.version, encoding_);
  std::shared_ptr<const Parts> found = slots.find(key);
  if (found != nullptr) return found;
  const EncodedParts made = make_(resource);
  found = std::make_shared<const Parts>(
      Parts{.paths = differences_.make(made.paths, like_),
            .schemas = differences_.make(made.schemas, object.json())});
  slots.keep(key, found);
  return found;
}

void KeptParts::add_paths(const custom::CustomResource& resource, std::string& out) {
  differences_.read(find(resource)->paths, like_, out);
}

void KeptParts::add_schemas(const custom::CustomResource& resource, std::string& out) {
  differences_.read(find(resource)->schemas, resource.definition().object()->json(), out);
}

void KeptParts::count(const custom::CustomResource& resource, KeptSizes& sizes) {
  const std::shared_ptr<const Parts> parts = find(resource);
  sizes.paths += parts->paths.text_size();
  sizes.schemas += parts->schemas.text_size();
}

}  // namespace proa::apiserver
