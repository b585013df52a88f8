#pragma once

#include "api/object/edit.h"
#include "apiserver/request/request.h"

// What an update may say about the object that it changes: in upstream's words, and in its order.

namespace proa::apiserver {

// The object's namespace must be the request's, if it has one; it is set. That of cluster-scoped
// objects is dropped.
Result<void> settle_namespace(const Request& request, api::Edit object);
// The name is required, and must be that of the path.
Result<void> check_object_name(const Request& request, api::View object);
// What upstream's storage says: `what` is "UID" or "ResourceVersion". A dry run sees the key
// without its prefix.
Status failed_precondition(const Request& request, const std::string& what,
                           const std::string& wanted, const std::string& found, bool dry_run);
// A uid must be that of the stored object; for PUT, where it is a precondition. `old`: absent if
// there is none.
Result<void> check_object_uid(const Request& request, api::View object, api::View old,
                              bool dry_run);
// The resourceVersion must be that of the stored object. Zero or none: unconditionally, if the
// resource allows that. One that is not a number is 400 (upstream: 500).
Result<void> check_resource_version(const Request& request, api::View object, api::View old);

}  // namespace proa::apiserver
