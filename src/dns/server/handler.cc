#include "dns/server/handler.h"

#include <array>
#include <vector>

namespace proa::dns {
namespace handler {

Rcode rcode_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNameError:
      return Rcode::kNameError;
    case Outcome::kNotReady:
      return Rcode::kServerFailure;
    case Outcome::kRefused:
      return Rcode::kRefused;
    default:
      return Rcode::kNoError;
  }
}

Rcode rcode_of(ByteSpan response) {
  return response.size() < kHeaderSize ? Rcode::kServerFailure
                                       : static_cast<Rcode>(response[3] & 0xfU);
}

size_t error(const Query& query, Rcode rcode, std::span<uint8_t> response) {
  Writer writer(response, query.limit());
  writer.begin_response(query);
  return writer.finish(rcode);
}

}  // namespace handler

size_t Handler::refuse(const Query& query, QueryFault fault, std::span<uint8_t> response) const {
  if (fault == QueryFault::kDrop) return 0;
  Writer writer(response, kPlainUdpSize);
  if (fault == QueryFault::kBadVersion) {
    writer.begin_response(query);
    return writer.finish(Rcode::kBadVersion);
  }
  // The question is not known, or is not one.
  writer.begin_error(query);
  return writer.finish(fault == QueryFault::kNotImplemented ? Rcode::kNotImplemented
                                                            : Rcode::kFormatError);
}

size_t Handler::handle(const Packet& packet, std::span<uint8_t> response, Statistics& statistics,
                       const MakeLater& later) {
  const Steady began = context_.clock.steady();
  Query query;
  query.tcp = packet.tcp;
  const QueryFault fault = parse_query(packet.message, query);
  if (fault == QueryFault::kDrop) {
    statistics.add_dropped();
    return 0;
  }
  statistics.add_request({.tcp = packet.tcp,
                          .v6 = !packet.client.is_v4(),
                          .type = query.question.type,
                          .dnssec_ok = query.dnssec_ok,
                          .size = packet.message.size()});
  const auto answered = [&](size_t size, Answerer answerer) {
    statistics.add_response(packet.tcp, handler::rcode_of(ByteSpan(response.data(), size)),
                            answerer, size, context_.clock.steady() - began);
    return size;
  };
  if (fault != QueryFault::kNone) {
    return answered(refuse(query, fault, response), Answerer::kNobody);
  }
  if (query.question.klass != Class::kInternet && query.question.klass != Class::kAny) {
    return answered(handler::error(query, Rcode::kRefused, response), Answerer::kNobody);
  }
  Writer writer(response, query.limit());
  writer.begin_response(query);
  Name external;
  Outcome outcome = Outcome::kNotOurs;
  {
    ReaderLock lock(context_.cluster.mutex);
    outcome = lookup(context_.cluster.index, context_.cluster.zone,
                     {.question = query.question,
                      .rotation = rotation_.fetch_add(1, std::memory_order_relaxed),
                      .reasons = nullptr},
                     writer, external);
  }
  if (outcome == Outcome::kNotOurs) {
    return forward(query, packet, response, began, statistics, later);
  }
  if (outcome == Outcome::kExternal && context_.forwarder != nullptr) {
    if (!in_flight_.begin(packet.client)) {
      return answered(handler::error(query, Rcode::kRefused, response), Answerer::kNobody);
    }
    follow(query, external,
           [this, query, client = packet.client, began, reply = later()](ByteSpan done) {
             in_flight_.end(client);
             count_later(query, done, began);
             reply(done);
           });
    return 0;
  }
  const bool known = outcome != Outcome::kNotReady && outcome != Outcome::kRefused;
  return answered(writer.finish(handler::rcode_of(outcome), {.authoritative = known}),
                  Answerer::kCluster);
}

size_t Handler::forward(const Query& query, const Packet& packet, std::span<uint8_t> response,
                        Steady began, Statistics& statistics, const MakeLater& later) {
  size_t size = 0;
  Answerer answerer = Answerer::kNobody;
  if (context_.forwarder == nullptr) {
    size = handler::error(query, Rcode::kRefused, response);
  } else {
    size = context_.forwarder->cached(query, response);
    answerer = Answerer::kForward;
  }
  if (size == 0 && !in_flight_.begin(packet.client)) {
    size = handler::error(query, Rcode::kRefused, response);
    answerer = Answerer::kNobody;
  }
  if (size != 0) {
    statistics.add_response(packet.tcp, handler::rcode_of(ByteSpan(response.data(), size)),
                            answerer, size, context_.clock.steady() - began);
    return size;
  }
  context_.forwarder->ask(
      query, [this, query, client = packet.client, began, reply = later()](ByteSpan done) {
        in_flight_.end(client);
        count_later(query, done, began);
        reply(done);
      });
  return 0;
}

void Handler::follow(const Query& query, const Name& target, const Later& reply) {
  Query outside = query;
  outside.question.name = target;
  // Whole: it is cut where it is put together.
  outside.tcp = true;
  context_.forwarder->ask(outside, [this, query, reply](ByteSpan found) {
    std::vector<uint8_t> response(std::max(query.limit(), kPlainUdpSize));
    response.resize(complete(query, found, response));
    reply(response);
  });
}

// The CNAMEs as they are now, and the addresses that were found for the last of them.
size_t Handler::complete(const Query& query, ByteSpan found, std::span<uint8_t> response) const {
  Reader reader(found);
  const auto header = reader.header();
  Question question;
  if (!header || header->rcode == Rcode::kServerFailure || header->rcode == Rcode::kRefused ||
      header->questions != 1 || !reader.question(question)) {
    return handler::error(query, Rcode::kServerFailure, response);
  }
  Writer writer(response, query.limit());
  writer.begin_response(query);
  Name external;
  Outcome outcome = Outcome::kNotReady;
  {
    ReaderLock lock(context_.cluster.mutex);
    outcome = lookup(context_.cluster.index, context_.cluster.zone, {.question = query.question},
                     writer, external);
  }
  // Meanwhile it may lead elsewhere.
  if (outcome != Outcome::kExternal || external != question.name) {
    return handler::error(query, Rcode::kServerFailure, response);
  }
  for (int i = 0; i < header->answers; ++i) {
    Record record;
    if (!reader.record(record)) return handler::error(query, Rcode::kServerFailure, response);
    if (!writer.copy(Section::kAnswer, reader, record, record.ttl)) break;
  }
  return writer.finish(Rcode::kNoError, {.authoritative = true});
}

void Handler::count_later(const Query& query, ByteSpan response, Steady began) {
  MutexLock lock(mutex_);
  later_.add_response(query.tcp, handler::rcode_of(response), Answerer::kForward, response.size(),
                      context_.clock.steady() - began);
}

}  // namespace proa::dns
