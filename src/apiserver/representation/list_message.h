#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "apiserver/objects/list.h"
#include "apiserver/representation/media.h"
#include "base/bytes.h"
#include "base/result.h"

namespace proa::apiserver {

// Wraps a bare message in its envelope.
std::string envelope_of(const api::Type& type, std::string_view message);

// Builds a list incrementally from the bytes of its items, so that memory is only needed for the
// parts that the client has not yet read.
class ListMessage {
 public:
  // Stored JSON is written lazily; other forms are encoded here, which may be slow.
  static Result<std::unique_ptr<ListMessage>> make(ResourcePtr resource, Listed listed,
                                                   Encoding encoding);
  static bool is_made_at_once(const api::Resource& resource, const Listed& listed,
                              Encoding encoding);

  // Appends about `bytes` bytes; false at the end.
  bool next(std::string& out, size_t bytes);
  // The whole list.
  std::string take();

 private:
  ListMessage(ResourcePtr resource, Listed listed, Encoding encoding);
  Result<void> make_items();
  size_t size() const { return listed_.entries.size(); }
  std::string_view item(size_t index) const;
  void begin(std::string& out) const;
  void begin_json(std::string& out) const;
  void begin_protobuf(std::string& out) const;
  void add_item(std::string& out, std::string_view item) const;
  void end(std::string& out) const;

  const ResourcePtr resource_;
  const Listed listed_;
  const Encoding encoding_;
  // `"kind":"Pod","apiVersion":"v1",`: omitted in list items, as upstream.
  std::string item_head_;
  std::vector<Bytes> items_;  // only if items are not written as stored
  size_t next_ = 0;
};

}  // namespace proa::apiserver
