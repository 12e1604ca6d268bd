# Shell completion has every option of every --help, and completes values, devices, metrics and sources.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" documentation share
mkdir files && cd files && touch a.cu b.ptx c.txt && cd ..
set +u  # as in an interactive shell
source share/bash-completion/completions/drywarp
complete -p drywarp >/dev/null || fail "nothing completes drywarp"

# offer WORD...: the completions of the last word, one per line, in ./out.
offer() {
  COMP_WORDS=(drywarp "$@") COMP_CWORD=$#
  _drywarp || true
  printf '%s\n' "${COMPREPLY[@]}" >"$home/out"
}
# offers EXPECTED WORD...: exactly these completions, in any order.
offers() {
  local wanted=$1
  shift
  offer "$@"
  [[ $(sort "$home/out" | tr '\n' ' ') == "$wanted " ]] || fail "'$*' offers something else than '$wanted'"
}

offers "profile" pro
offers "--time --timeout" profile --tim
offers "csv json markdown text" profile --format ''
offers "csv" profile --format c
offers "csv json markdown text" profile --format =
offers "json" profile --format = js
offers "all auto off" profile --time ''
offers "h100 h200" profile --device h
offers "h100 h200" devices h
offers "gld_efficiency" profile --metrics gld_eff
offers "gst_efficiency,gld_efficiency" profile --metrics gst_efficiency,gld_eff
offers "" profile --lines ''
offers "" profile --kernel ''
offers "banks" explain ba
offers "load" explain banks --op l
offers "profile" help pro
offers "-gencode" nvcc -genc
cd files
offers "a.cu b.ptx" profile ''
offers "a.cu" run --device h200 a
offers "c.txt" profile c
offers "a.cu b.ptx c.txt" profile a.cu -- ''
offers "all auto" profile --time a
offers "b.ptx" profile --time b
offers "a.cu b.ptx c.txt" profile --output ''
cd ..
offer profile --device ''
[[ $(grep -c . out) == $("$DRYWARP" devices --format json | grep -c '"id"') ]] || fail "not every device is offered"
offer profile --metrics ''
[[ $(grep -c . out) -gt 100 ]] || fail "few metrics are offered"

# options_of SUBCOMMAND...: the names in its help.
options_of() { "$DRYWARP" "$@" --help | sed -nE 's/^  (-[^ ].*)$/\1/p' | sed -E 's/  .*//' | grep -oE '(^|, )-[^ ,=[]+' | sed 's/^, //'; }

checked=0
while read -r command; do
  options_of $command >options
  offer $command -
  for option in $(<options); do
    grep -qxF -- "$option" out || fail "completion of 'drywarp $command' lacks $option"
    grep -qF -- "${option//-/\\-}" share/man/man1/drywarp-"${command// /-}".1 || fail "drywarp-${command// /-}(1) lacks $option"
    checked=$((checked + 1))
  done
done < <("$DRYWARP" help | sed -nE 's/^  ([a-z]+)  +.*/\1/p' | grep -v 'explain\|help\|version'
  "$DRYWARP" explain --help | sed -nE 's/^  ([a-z]+)  +.*/explain \1/p')
((checked > 300)) || fail "only $checked options were looked up"

bash -n share/bash-completion/completions/drywarp
# Other shells, if installed.
if command -v zsh >/dev/null; then
  expect 0 zsh -n share/zsh/vendor-completions/_drywarp
  cat >ask.zsh <<'Z'
# A pseudo-terminal, in which zsh completes as for a user.
zmodload zsh/zpty
zpty shell zsh -f
zpty -w shell 'PROMPT=; unset zle_bracketed_paste; fpath=($PWD/share/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -D -u'
zpty -w shell 'LISTMAX=1000; stty columns 200; print REA''DY'
zpty -m -r shell text '*READY*'
zpty -n -w shell "$1"$'\t\t'
text= quiet=0
for i in {1..100}; do
  sleep 0.1
  quiet=$((quiet + 1))
  while zpty -r -t shell part; do text+=$part quiet=0; done
  [[ -n $text && $quiet -gt 15 ]] && break
done
print -r -- $text
Z
  expect 0 zsh ask.zsh 'drywarp profile --form'
  has out "--format"
  expect 0 zsh ask.zsh 'drywarp profile --device v1'
  has out "v100"
  expect 0 zsh ask.zsh 'drywarp explain '
  has out "divergence"
fi
if command -v fish >/dev/null; then
  export XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data
  ask() { expect 0 fish -c "source share/fish/vendor_completions.d/drywarp.fish; complete -C '$1'"; }
  ask "drywarp prof" && has out profile
  ask "drywarp profile --tim" && has out --timeout
  ask "drywarp profile --device v1" && has out v100
  ask "drywarp profile --format " && has out json
  ask "drywarp profile --metrics gst_efficiency,gld_eff" && has out gst_efficiency,gld_efficiency
  ask "drywarp explain " && has out divergence
  ask "drywarp explain banks --op " && has out cas
  ask "drywarp nvcc -" && has out -gencode
fi
