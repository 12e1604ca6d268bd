#include "model/sass/passes/forward.h"

#include "model/sass/passes/fold.h"

namespace drywarp::sass {

using enum machine::Operation;

size_t Forwarder::KeyHash::operator()(const std::vector<uint64_t>& key) const {
  size_t h = 0xcbf29ce484222325ull;
  for (uint64_t k : key) h = (h ^ k) * 0x100000001b3ull;
  return h;
}

void Forwarder::run(std::vector<Code>& code) {
  known_.clear();
  for (Code& c : code) {
    substitute(c);
    for (unsigned round = 0; round < 4 && !c.dead && fold(v_, c); ++round) {
    }
    if (c.dead) continue;
    if (take_offset_out(c))
      for (unsigned round = 0; round < 4 && fold(v_, c); ++round) {
      }
    share(c);
    v_.learn(c);
  }
}

void Forwarder::substitute(Code& c) {
  auto carry = [&](Source& s) {
    for (unsigned depth = 0; depth < 8 && s.is_register() && v_.known[s.reg]; ++depth) {
      const Code& d = v_.made_by[s.reg];
      if (d.role != Role::Copy) return;
      Source from = d.source[0];
      if (from.is_immediate() && s.modifiers != 0) return;
      if (from.is_constant() && s.modifiers != 0) return;
      from.modifiers ^= s.modifiers;
      v_.set(s, from);
    }
  };
  for (Source& s : c.source) carry(s);
  if (c.guard && v_.known[c.guard.reg]) {
    const Code& d = v_.made_by[c.guard.reg];
    if (d.role == Role::Copy && d.source[0].is_register()) {
      if (d.source[0].modifiers & 4) c.guard_negated = !c.guard_negated;
      Source plain = d.source[0];
      plain.modifiers = 0;
      v_.set(c.guard, plain);
    }
  }
}

std::vector<uint64_t> Forwarder::key_of(const Code& c) {
  std::vector<uint64_t> key{uint64_t(c.op) << 32 | c.variant, uint64_t(c.wide)};
  for (const Source& s : c.source) {
    key.push_back(uint64_t(s.kind) << 56 | uint64_t(s.modifiers) << 48 | uint64_t(s.words) << 40 | s.reg);
    key.push_back(s.value);
  }
  return key;
}

// a * b + (c + constant), where a * b + c is known: that and the constant, which an address takes for nothing.
bool Forwarder::take_offset_out(Code& c) {
  if (c.op != machine::Operation::ImadWide || c.role != Role::Pure || c.guard || c.variant > 1) return false;
  const Code* d = v_.definition(c.source[2]);
  if (!d || d->op != machine::Operation::Iadd3 || !d->wide || d->variant != 0 || d->guard || d->source[2]) return false;
  if (!d->source[0].is_register() || !d->source[1].is_immediate() || d->source[1].modifiers != 0) return false;
  if (!v_.usable(*d)) return false;
  Code without = c;
  without.source[2] = d->source[0];
  const auto known = known_.find(key_of(without));
  if (known == known_.end()) return false;
  const Source constant = d->source[1];
  v_.replace(c, machine::Operation::Iadd3, 0, {Source::of(known->second), constant});
  c.wide = true;
  return true;
}

void Forwarder::share(Code& c) {
  if (c.role != Role::Pure || c.guard || c.destination[0] == kNone || c.destination[1] != kNone) return;
  if (c.op == S2r && crosses_blocks_) return;  // handled by its own pass
  for (const Source& s : c.source)
    if (s.is_register() && !v_.stable(s.reg)) return;
  if (v_.variable[c.destination[0]]) return;
  auto [it, fresh_key] = known_.try_emplace(key_of(c), c.destination[0]);
  if (!fresh_key) v_.become_copy(c, Source::of(it->second));
}

}  // namespace drywarp::sass
