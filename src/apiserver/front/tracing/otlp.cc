#include "apiserver/front/tracing/otlp.h"

#include "api/codec/protobuf/wire.h"

namespace proa::apiserver::tracing {
namespace otlp {

using api::ReverseWriter;
using api::WireType;

// Upstream's name of this component.
constexpr std::string_view kService = "apiserver";
constexpr std::string_view kScope = "proa";
constexpr uint64_t kInternal = 1;  // of SpanKind
constexpr uint64_t kServer = 2;
constexpr uint64_t kError = 2;  // of Status

template <typename Bytes>
std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write(ReverseWriter& out, uint32_t number, const Attribute& attribute) {
  const size_t mark = out.size();
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    out.bytes_field(1, *text);
  } else {
    out.varint_field(3, static_cast<uint64_t>(std::get<int64_t>(attribute.value)));
  }
  out.end_message(2, mark);
  out.bytes_field(1, attribute.key);
  out.end_message(number, mark);
}

void write_time(ReverseWriter& out, uint32_t number, Time time) {
  out.fixed64(static_cast<uint64_t>(time.time_since_epoch().count()));
  out.tag(number, WireType::kFixed64);
}

void write(ReverseWriter& out, const Span& span) {
  const size_t mark = out.size();
  if (span.failed) {
    const size_t status = out.size();
    out.varint_field(3, kError);
    out.end_message(15, status);
  }
  if (span.link) {
    const size_t link = out.size();
    out.bytes_field(2, view_of(span.link->span));
    out.bytes_field(1, view_of(span.link->trace));
    out.end_message(13, link);
  }
  for (auto each = span.attributes.rbegin(); each != span.attributes.rend(); ++each)
    write(out, 9, *each);
  write_time(out, 8, span.end);
  write_time(out, 7, span.begin);
  out.varint_field(6, span.serves ? kServer : kInternal);
  out.bytes_field(5, span.name);
  if (span.parent) out.bytes_field(4, view_of(*span.parent));
  out.bytes_field(2, view_of(span.id));
  out.bytes_field(1, view_of(span.trace));
  out.end_message(2, mark);
}

}  // namespace otlp

std::string encode_spans(std::span<const Span> spans, std::string_view instance) {
  using namespace otlp;  // NOLINT: of this file only
  ReverseWriter out;
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) write(out, *span);
  const size_t scope = out.size();
  out.bytes_field(1, kScope);
  out.end_message(1, scope);
  out.end_message(2, 0);
  const size_t resource = out.size();
  write(out, 1, {"service.instance.id", std::string(instance)});
  write(out, 1, {"service.name", std::string(kService)});
  out.end_message(1, resource);
  out.end_message(1, 0);
  return out.take();
}

uint64_t rejected_spans(std::string_view response) {
  uint64_t rejected = 0;
  api::WireReader reader(response);
  api::WireField field;
  while (reader.next(field)) {
    if (field.number != 1 || field.type != api::WireType::kBytes) continue;
    api::WireReader partial(field.bytes);
    api::WireField count;
    while (partial.next(count)) {
      if (count.number == 1 && count.type == api::WireType::kVarint) rejected = count.value;
    }
  }
  return rejected;
}

}  // namespace proa::apiserver::tracing
