#include "apiserver/local/served.h"

#include "apiserver/answer/encode.h"

namespace proa::apiserver {

Result<api::ObjectPtr> served_object(const api::ObjectPtr& stored, const api::Resource& resource,
                                     const Clock& clock) {
  if (resource.stored == nullptr || resource.stored == &resource) return stored;
  const Encoder encoder{.resource = &resource, .media = {}, .clock = &clock};
  return api::Object::make(TRY(encoder.object(stored)).str());
}

}  // namespace proa::apiserver
