#pragma once

#include <stop_token>
#include <string>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "apiserver/objects/list.h"
#include "apiserver/objects/watch_cursor.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/table/table.h"
#include "apiserver/request/resource_ptr.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"

namespace proa::apiserver {

// Encodes objects of a resource as a client requested them.
struct Encoder {
  ResourcePtr resource;
  Media media;
  IncludeObject include = IncludeObject::kMetadata;  // for table rows
  const Clock* clock;

  // Whether an object, or a list, has the requested form. Fails with kNotAcceptable: to be asked
  // before anything is written.
  Result<void> check_object_form() const;
  Result<void> check_list_form() const;
  // Whether an object takes long, so that it is not encoded on a loop thread: columns of custom
  // resources say themselves what they search.
  bool is_slow(const api::Object& object) const;
  // The same for a list: also if what is not served as stored is long.
  bool is_slow(const Listed& listed) const;
  // The same for an event.
  bool is_slow(const WatchEvent& event) const;
  // JSON of a stored object is served without a copy.
  Result<Bytes> object(const api::ObjectPtr& object) const;
  // Fails with kTimeout when stopped.
  Result<Bytes> list(const Listed& listed, const std::stop_token& stop = {}) const;
  // A document of another type, which has only one form.
  Result<Bytes> document(std::string_view json, const api::Type& type) const;
  // A framed watch event; `first` of its watch.
  Result<Bytes> event(const WatchEvent& event, bool first) const;
  // The last event of a failed watch.
  Bytes error_event(const Status& status) const;

 private:
  Result<Bytes> bookmark(const WatchEvent& event) const;
  Result<std::string> event_object(const api::Object& object, bool first) const;
  Result<std::string> table_list(const Listed& listed, const std::stop_token& stop) const;
  Result<std::string> partial_list(const Listed& listed, const std::stop_token& stop) const;
  Table::Options table_options(bool first) const;
  Bytes frame(std::string_view type, std::string_view object) const;
};

}  // namespace proa::apiserver
