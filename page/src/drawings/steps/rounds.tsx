// What a block's threads do between its barriers: the rounds of a reduction, for example.
import { useMemo } from 'preact/hooks';
import type { Kernel, Steps } from '../../data';
import { fileName } from '../../format/names';
import { count, counted, share } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { colour } from '../../theme/colours';
import { runs, warpLanes } from '../shared/lanes';
import { tint, useHatches } from '../shared/marks';
import { alike, codePlace, type Round, roundsOf } from './layout';

export interface RoundsDrawingProps {
  steps: Steps;
  kernel: Kernel;
  sources: Record<string, string[]>;
}

export function RoundsDrawing({ steps, kernel, sources }: RoundsDrawingProps) {
  const rounds = useMemo(() => roundsOf(steps), [steps]);
  const warps = steps.warps.length;
  const threads = warps * warpLanes;
  const divergent = rounds.filter((round) => round.warps.some((warp) => warp.state === 'divergent')).length;
  const busy = rounds.reduce((sum, round) => sum + round.working.size, 0);
  const sentence = `Block ${Array.isArray(steps.block) ? steps.block.join(', ') : steps.block}: ${counted(Math.max(0, rounds.length - 1), 'barrier')} make ${counted(rounds.length, 'round')}. On average ${share(busy / Math.max(1, rounds.length) / Math.max(1, rounds[0]?.present.size ?? threads))} of the threads work; warps diverge in ${divergent} of ${counted(rounds.length, 'round')}.`;
  const whereOf = (round: Round): string => {
    const lines = [...new Set(round.partial.map((code) => codePlace(kernel, steps, code, sources)).filter((place) => place.line > 0).map((place) => `${fileName(place.file)}:${place.line}`))];
    return lines.slice(0, 3).join(', ');
  };
  return (
    <RoundsPicture title="Rounds between barriers: which threads work" sentence={sentence} warps={warps}
      note={`A round is what the block's threads run from one barrier to the next. A thread works if it runs code that others skip${steps.cut ? '; the recording is cut' : ''}.`}
      rounds={alike(rounds).map(({ round, first, last }) => ({
        label: first === last ? `round ${first}` : `${first} to ${last}`,
        threads: [...round.working].sort((a, b) => a - b),
        warps: new Map(round.warps.map((warp) => [warp.warp, warp.state])),
        where: round.partial.length === 0 ? 'all threads run the same code' : whereOf(round),
      }))} />
  );
}

export interface DrawnRound {
  /** "round 3", "4 to 24" */
  label: string;
  /** That work, ascending. */
  threads: number[];
  warps: Map<number, 'idle' | 'whole' | 'divergent'>;
  where: string;
}

export function RoundsPicture({ title, sentence, warps, rounds, note }: { title: string; sentence: string; warps: number; rounds: DrawnRound[]; note: string }) {
  const { fill, definitions } = useHatches({ divergent: { hue: 'orange', style: 'rising', ground: 40 } });
  const row = rounds.length > 24 ? 14 : 22;
  const statesOf = (round: DrawnRound, state: string): number => [...round.warps.values()].filter((own) => own === state).length;
  return (
    <Picture title={title} subtitle={sentence} maxWidth={1100} height={26 + rounds.length * row + 4} note={note}
      alternative={`${sentence} ${rounds.map((round) => `${round.label}: ${counted(round.threads.length, 'thread')} in ${counted(statesOf(round, 'whole') + statesOf(round, 'divergent'), 'warp')}, ${statesOf(round, 'divergent')} divergent`).join('. ')}.`}
      legend={[
        { label: 'works, as all of its warp', colour: tint('blue', 55) },
        { label: 'works, while others of its warp wait (hatched)', colour: tint('orange', 70) },
        { label: 'idle', colour: colour('sunk') },
      ]}
      table={() => ({
        columns: ['Round', 'Threads that work', 'Warps at work', 'Divergent warps', 'Where'],
        rows: rounds.map((round) => [round.label, round.threads.length, statesOf(round, 'whole') + statesOf(round, 'divergent'), statesOf(round, 'divergent'), round.where]),
      })}>
      {({ width }) => {
        const narrow = width < 620;
        const left = narrow ? 40 : 66;
        const right = narrow ? 44 : 216;
        const warpWidth = (width - left - right) / warps;
        const thread = (warpWidth - (warps > 1 ? Math.min(4, warpWidth * 0.12) : 0)) / warpLanes;
        const every = Math.ceil(34 / warpWidth);
        return (
          <>
            {definitions}
            {Array.from({ length: warps }, (_, warp) => warp % every === 0 && <text x={left + warp * warpWidth} y={14} class="small muted">{warpWidth > 60 ? 'warp ' : 'w'}{warp}</text>)}
            {rounds.map((round, i) => {
              const y = 24 + i * row;
              const whole = statesOf(round, 'whole');
              const split = statesOf(round, 'divergent');
              return (
                <g data-tip={`${round.label}: ${counted(round.threads.length, 'thread')} work\n${counted(whole + split, 'warp')} at work, ${split} divergent\n${round.where}`}>
                  <text x={left - 6} y={y + row / 2 + 2} text-anchor="end" class="small muted">{narrow ? round.label.replace('round ', '').replace(' to ', '–') : round.label}</text>
                  {Array.from({ length: warps }, (_, warp) => <rect x={left + warp * warpWidth} y={y} width={thread * warpLanes} height={row - 5} fill={colour('sunk')} />)}
                  {Array.from({ length: warps }, (_, warp) => {
                    const own = round.threads.filter((t) => Math.floor(t / warpLanes) === warp).map((t) => t % warpLanes);
                    const state = round.warps.get(warp) ?? 'idle';
                    return runs(own).map(([a, b]) => (
                      <rect x={left + warp * warpWidth + a * thread} y={y} width={Math.max(0.8, (b - a + 1) * thread - (thread > 4 && state === 'divergent' ? 0.5 : 0))} height={row - 5}
                        fill={state === 'divergent' ? (thread > 0.8 ? fill('divergent') : tint('orange', 70)) : tint('blue', 55)} stroke={state === 'divergent' && thread > 2 ? colour('orange') : 'none'} stroke-width={0.75} />
                    ));
                  })}
                  <text x={width - right + 8} y={y + row / 2 + 2} class="small">{narrow ? count(round.threads.length) : `${counted(round.threads.length, 'thread')}, ${counted(whole + split, 'warp')}${split ? `, ${split} divergent` : ''}`}</text>
                </g>
              );
            })}
          </>
        );
      }}
    </Picture>
  );
}
